#!/usr/bin/env node
// Plays the duckdb command for tests: `duckdb [FILE] [-c] [SQL]`, with SQL from stdin if none is given. Prints rows as NDJSON.
import { text } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';

const words = process.argv.slice(2).filter((word) => word !== '-c');
const file = words[0]?.endsWith('.db') ? words.shift() : ':memory:';
const sql = words[0] ?? (await text(process.stdin));
const database = await DuckDBInstance.create(file);
const connection = await database.connect();
const reader = await connection.runAndReadAll(sql);
for (const row of reader.getRowObjectsJson()) process.stdout.write(`${JSON.stringify(row)}\n`);
connection.closeSync();
database.closeSync();
