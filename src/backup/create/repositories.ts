import type { Reader } from '../../infra/database/index.ts'
import type { Git } from '../../infra/git/index.ts'
import { type RepositoryRow, repositoriesAfter } from '../../platform/repositories/index.ts'
import type { BackupWriter } from '../format/writer.ts'
import type { Progress } from '../progress.ts'
import type { BaseBackup } from './base.ts'
import { type CapturedRefs, repositoryOf } from './refs.ts'

type BackedUp = Pick<RepositoryRow, 'id' | 'storage' | 'disk_path' | 'object_format' | 'size_bytes'>

const portion = 500

/** The repositories of the snapshot that are on disk, and their sizes together. */
export async function repositoriesIn(reader: Reader): Promise<{ rows: BackedUp[]; bytes: number }> {
  const rows: BackedUp[] = []
  for (let after = 0; ; ) {
    const found = await repositoriesAfter(reader, after, portion)
    for (const { id, storage, disk_path, object_format, size_bytes, generation } of found) {
      if (generation > 0) rows.push({ id, storage, disk_path, object_format, size_bytes })
    }
    if (found.length < portion) return { rows, bytes: rows.reduce((sum, row) => sum + row.size_bytes, 0) }
    after = found.at(-1)?.id ?? 0
  }
}

/** Refs that only the gate moves. All others keep objects from being deleted. */
const moved = /^[0-9a-f]+ refs\/(?:heads|tags|notes)\//

/**
 * The refs as captured, and those that keep objects as they are now: they are made beside the row that needs them, and more of
 * them do no harm.
 */
function withKept(captured: string, current: string): string {
  const byName = new Map<string, string>()
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
  for (const line of linesOf(captured)) byName.set(line.slice(line.indexOf(' ') + 1), line)
  for (const line of linesOf(current)) if (!moved.test(line)) byName.set(line.slice(line.indexOf(' ') + 1), line)
  const names = [...byName.keys()].map((name) => Buffer.from(name)).sort(Buffer.compare)
  return names.map((name) => `${byName.get(name.toString())}\n`).join('')
}

/** Files whose name says what they contain. Others of a pack are written anew. */
const isNamedByContent = (name: string) => !/\.(?:bitmap|mtimes)$/.test(name)

/** Copies the repositories: the refs as captured, and all files of the object stores. */
export async function copyRepositories(
  git: Git,
  rows: readonly BackedUp[],
  refs: CapturedRefs,
  { writer, base, progress }: { writer: BackupWriter; base: BaseBackup | undefined; progress: Progress },
): Promise<void> {
  for (const row of rows) {
    const captured = await refs.of(row.id)
    if (!captured) {
      progress.note(
        `repository ${row.id} (${row.storage}:${row.disk_path}) is missing on disk; it is not in the backup`,
      )
      continue
    }
    const repository = repositoryOf(git, row)
    const known = await base?.filesOf(row.id, row.disk_path)
    const kept = withKept(captured.refs, (await repository.allRefs()).toString('utf8'))
    await writer.line({
      kind: 'repository',
      id: row.id,
      storage: row.storage,
      path: row.disk_path,
      head: captured.head,
      format: row.object_format,
    })
    await writer.whole({ kind: 'refs' }, Buffer.from(kept))
    for await (const { name, sizeBytes, read } of repository.objectFiles()) {
      const part = isNamedByContent(name) ? known?.get(name) : undefined
      if (part?.sizeBytes === sizeBytes) await writer.reuse({ kind: 'git', file: name }, part)
      else await writer.content({ kind: 'git', file: name }, sizeBytes, read(), { mayCompress: false })
      progress.advance(sizeBytes)
    }
  }
}
