/** A text of man/text, as .build/markdown.js gives it. */
declare module '*.md' {
  type Definitions = readonly (readonly [term: string, meaning: string])[];
  interface Example {
    readonly does: string;
    readonly run: string;
    readonly name?: string;
  }
  export const page: {
    readonly name: string;
    readonly summary: string;
    readonly sections: readonly {
      readonly title: string;
      readonly parts: readonly (string | Definitions | Example)[];
    }[];
  };
}
