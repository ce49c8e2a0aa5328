/** Made when first asked for, then kept. Schemas are: making them takes longer than reading a small file, and most runs need few. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
