import { createFramer } from '../record/frame.js';
import { cleanLine, unprefixed } from '../record/line.js';
import { timeOfRecord } from './record-time.js';

/** Reads the lines of one source for the times they name. */
export interface LineTimes {
  push(text: string, line: number): void;
  end(): void;
}

/** Says of each line that has a time, in milliseconds since 1970; of a record over several lines, when it is complete. */
export function createLineTimes(known: (line: number, time: number) => void): LineTimes {
  let told = 0;
  const tell = (line: number, time: string | null) => {
    const epoch = time === null ? Number.NaN : Date.parse(time);
    // The first record of a line speaks for it.
    if (Number.isNaN(epoch) || line <= told) return;
    told = line;
    known(line, epoch);
  };
  const framer = createFramer({
    record: (record, line, prefix) => tell(line, timeOfRecord(record) ?? prefix),
    damaged() {},
    noise() {},
  });
  return {
    push(text, line) {
      framer.push(text, line);
      // Logs stamp also what is no record.
      if (told < line && !text.startsWith('{')) tell(line, unprefixed(cleanLine(text, line)).time);
    },
    end: () => framer.end(),
  };
}
