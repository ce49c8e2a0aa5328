// The first version one would write: readline, JSON.parse of every line, the usage of each message by model.
import readline from 'node:readline';

const messages = new Map();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const record = JSON.parse(line);
  if (record.type === 'assistant') messages.set(record.message.id, record.message);
}
const models = new Map();
for (const { model, usage } of messages.values()) {
  const sum = models.get(model) ?? { model, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 };
  sum.input_tokens += usage.input_tokens;
  sum.output_tokens += usage.output_tokens;
  sum.cache_read_tokens += usage.cache_read_input_tokens;
  models.set(model, sum);
}
for (const model of [...models.keys()].sort()) process.stdout.write(`${JSON.stringify(models.get(model))}\n`);
