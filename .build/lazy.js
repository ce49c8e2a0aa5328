// Makes the files of the command load each other when they are first used, not when they start.
import { parseSync } from 'rolldown/utils';

/**
 * A plugin for CommonJS output. `const x = require('…')` becomes a function, and each use of x a call of it, so that a
 * file is loaded by the first function that needs it. Our modules do nothing but define things when they are loaded, so
 * nobody notices. What a file exports is assigned at once instead of through getters: nothing exported changes later.
 */
export const lazy = { name: 'lazy', renderChunk: (code) => lazily(code) };

/** What every command loads anyway. Calls into it stay as fast as they can be. */
const always = /^(?:\.\/(?:cli|start|rolldown-runtime)\.cjs|node:fs)$/;

export function lazily(code) {
  const { body } = parseSync('chunk.cjs', code).program;
  const edits = [];
  const required = new Set();
  const assigned = new Set();
  visit(body, null, ({ type, left }) => type === 'AssignmentExpression' && assigned.add(left.name));
  const others = body.filter((statement) => {
    const [made, another] = statement.type === 'VariableDeclaration' ? statement.declarations : [];
    if (another !== undefined || !isRequire(made?.init) || assigned.has(made.id.name)) return true;
    if (always.test(made.init.arguments[0].value)) return true;
    const { name } = made.id;
    required.add(name);
    const call = code.slice(made.init.start, made.init.end);
    edits.push([statement, `let ${name}$;\nfunction ${name}() {\n\treturn ${name}$ ??= ${call};\n}`]);
    return false;
  });
  for (const statement of others) {
    const exported = exportOf(statement);
    if (exported !== null) edits.push([statement, `exports.${exported.name} = ${exported.value};`]);
    visit(statement, null, (node, parent) => {
      if (node.type !== 'Identifier' || !required.has(node.name) || isKey(node, parent)) return;
      edits.push([node, `(${node.name}())`]);
    });
  }
  edits.sort(([a], [b]) => b.start - a.start);
  return edits.reduce((text, [{ start, end }, by]) => `${text.slice(0, start)}${by}${text.slice(end)}`, code);
}

function isRequire(init) {
  return init?.type === 'CallExpression' && init.callee.type === 'Identifier' && init.callee.name === 'require';
}

/** Of `Object.defineProperty(exports, 'name', { enumerable: true, get: function () { return value; } })`. */
function exportOf({ type, expression }) {
  if (type !== 'ExpressionStatement' || expression.type !== 'CallExpression') return null;
  const [target, name, how] = expression.arguments;
  if (target?.type !== 'Identifier' || target.name !== 'exports' || how?.type !== 'ObjectExpression') return null;
  const get = how.properties.find(({ key }) => key.name === 'get')?.value.body?.body?.[0]?.argument;
  return get?.type === 'Identifier' ? { name: name.value, value: get.name } : null;
}

function isKey(node, parent) {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand;
}

function visit(node, parent, see) {
  if (typeof node.type === 'string') see(node, parent);
  for (const value of Object.values(node)) if (value !== null && typeof value === 'object') visit(value, node, see);
}
