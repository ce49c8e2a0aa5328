// The program of the thread that reads and scans a large file ahead.
import { type ScanTask, scanFiles } from './cli/scan-ahead.js';
import { dataOfThread } from './io/helper.js';

// Only scanAhead starts it, with a task.
scanFiles(dataOfThread() as ScanTask);
