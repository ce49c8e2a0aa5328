/** Reading JSON as the program does, for tests that make or look into records. */
export { isObject, type JsonObject, parseJson } from '../src/core/record/json.js';
