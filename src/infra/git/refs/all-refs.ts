import type { RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { outputOf } from '../process/output.ts'

/** The first line of a file `packed-refs` whose lines are those of `readAllRefs`. */
export const packedRefsHeader = '# pack-refs with: sorted \n'

/** Reads all refs, whatever their kind, sorted by bytes: a line of id and name for each. */
export async function readAllRefs(
  { runner, directory }: Pick<RepositoryContext, 'runner' | 'directory'>,
  signal?: AbortSignal,
): Promise<Buffer> {
  const command: Command = { subcommand: 'for-each-ref', flags: ['--format=%(objectname) %(refname)'], directory }
  const chunks: Buffer[] = []
  for await (const chunk of outputOf(runner, command, { signal })) chunks.push(chunk)
  return Buffer.concat(chunks)
}
