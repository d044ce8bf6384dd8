/** Finds the branches and tags whose history contains a commit. */

import { type Oid, parseOid, type RefName } from '../model/names.ts'
import type { CatFilePool } from '../objects/cat-file-pool.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'
import type { Runner } from '../process/runner.ts'

const NEWLINE = 0x0a

/** A ref, and the commit that it points at (or another object, which has no history). */
type Tip = { name: string; oid: Oid }

/**
 * Lists the short names of branches or tags whose history contains the commit, sorted by bytes. Walks the history once for all
 * refs; `--contains` would walk it once per ref.
 * @throws GitError `object_missing`
 */
export async function refsContaining(
  { runner, pool }: { runner: Runner; pool: CatFilePool },
  directory: string,
  commit: Oid,
  kind: 'branch' | 'tag',
): Promise<string[]> {
  const tips = await (kind === 'branch' ? branches(runner, directory) : tags(runner, pool, directory))
  const wanted = new Set(tips.map(({ oid }) => oid))
  const command: Command = { subcommand: 'rev-list', flags: ['--ancestry-path', '--stdin'], directory }
  const input = [...wanted, `^${commit}`].map((line) => `${line}\n`).join('')
  // A commit is not its own descendant.
  const found = new Set<string>([commit])
  for await (const line of recordsOf(runner, command, NEWLINE, { input })) {
    const oid = line.toString('latin1')
    if (wanted.has(oid as Oid)) found.add(oid)
  }
  return tips.filter(({ oid }) => found.has(oid)).map(({ name }) => name)
}

async function branches(runner: Runner, directory: string): Promise<Tip[]> {
  const tips: Tip[] = []
  for await (const [oid, name] of refsBelow(runner, directory, 'refs/heads', '%(objectname)')) {
    tips.push({ name, oid: oid as Oid })
  }
  return tips
}

async function tags(runner: Runner, pool: CatFilePool, directory: string): Promise<Tip[]> {
  const tips: (Tip | Promise<Tip>)[] = []
  for await (const [fields, name] of refsBelow(
    runner,
    directory,
    'refs/tags',
    '%(objectname):%(*objectname):%(*objecttype)',
  )) {
    const [id = '', peeledId = '', peeledType] = fields.split(':')
    const oid = parseOid(peeledId) ?? (id as Oid)
    // Some versions of git follow only one tag.
    if (peeledType !== 'tag') tips.push({ name, oid })
    else
      tips.push(
        pool
          .reader(directory)
          .peeled(oid)
          .then((peeled) => ({ name, oid: peeled?.oid ?? oid })),
      )
  }
  return Promise.all(tips)
}

/** Lists refs, sorted by bytes: the output of `format`, which must not contain spaces, and the short name. */
async function* refsBelow(
  runner: Runner,
  directory: string,
  prefix: 'refs/heads' | 'refs/tags',
  format: string,
): AsyncGenerator<[text: string, name: string]> {
  const flags = [`--format=${format} %(refname)`] as const
  const command: Command = { subcommand: 'for-each-ref', flags, operands: [prefix as RefName], directory }
  for await (const line of recordsOf(runner, command, NEWLINE)) {
    const space = line.indexOf(' ')
    const nameStart = space + 1 + prefix.length + 1
    const name = line.toString('utf8', nameStart)
    // Names that are not UTF-8 cannot be requested; snapshots leave them out as well.
    const isReadable = !name.includes('\ufffd') || Buffer.from(name).equals(line.subarray(nameStart))
    if (isReadable) yield [line.toString('latin1', 0, space), name]
  }
}
