/** The same answer while it is asked about the same things, as a state is after an event that left them alone. */
export function remember<A extends readonly unknown[], R>(make: (...about: A) => R): (...about: A) => R {
  let last: { readonly about: A; readonly answer: R } | null = null;
  return (...about) => {
    if (last === null || about.some((one, at) => one !== last?.about[at])) last = { about, answer: make(...about) };
    return last.answer;
  };
}
