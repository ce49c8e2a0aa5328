/** Reads JSON as cct does, for tests that make or inspect records. */
export { isObject, type JsonObject, parseJson } from '../src/core/record/json.js';
