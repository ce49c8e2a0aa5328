// The program of the second thread: reads its share of the files and sends what it found out.
import { readShare, type Share } from './cli/division.js';
import { privacyOf } from './cli/flags/flags.js';
import { loadCommand } from './cli/registry.js';
import { answerThread } from './io/helper.js';
import { createOutput } from './io/output.js';
import { processStreams } from './io/streams.js';

void answerThread(async (share: Share) => {
  const command = await loadCommand(share.command);
  if (command === null) throw new Error(`there is no command ${share.command}`);
  const privacy = await privacyOf(share.options, command);
  const out = createOutput(processStreams().stdout.stream);
  return readShare(share, command, privacy === null ? { out } : { out, redact: privacy.event });
});
