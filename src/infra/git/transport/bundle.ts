/** Creates bundles: files from which git can clone. */
import { Readable } from 'node:stream'
import { handled } from '../../streams/index.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { outputOfJob } from '../process/output.ts'
import { failure } from '../process/runner.ts'
import type { SlotRequest } from '../process/semaphore.ts'

const CHUNK_BYTES = 64 * 1024

/**
 * Streams a bundle of all refs. Git refuses to create one of a repository without refs. Destroying the stream ends the process.
 * @throws GitError `busy`. What fails later on destroys the stream.
 */
export async function bundle({ runner, directory }: RepositoryContext, request: SlotRequest = {}): Promise<Readable> {
  const command: Command = { subcommand: 'bundle create', flags: ['--quiet', '-', '--all'], directory }
  const job = await runner.stream(command, { stdin: 'none', queue: 'transfer', ...request })
  const chunks = outputOfJob(job, (exit) => {
    if (exit.exitCode !== 0) throw failure(command, exit)
  })
  return handled(Readable.from(chunks, { objectMode: false, highWaterMark: CHUNK_BYTES })).once('close', job.kill)
}
