import type { ObjectStore } from '../../infra/objects/index.ts'
import type { BackupWriter } from '../format/writer.ts'
import type { Progress } from '../progress.ts'
import type { BaseBackup } from './base.ts'

/** Services note times in seconds, so an object that was replaced while the base was made may look like the one in the base. */
const uncertainMs = 60_000

/** The number of stored objects, and their sizes together. */
export async function sizeOfObjects(objects: ObjectStore): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0]
  for await (const { sizeBytes } of objects.list()) {
    count += 1
    bytes += sizeBytes
  }
  return { count, bytes }
}

/** Copies all objects. Those that are stored meanwhile may be among them; no row of the snapshot names them. */
export async function copyObjects(
  objects: ObjectStore,
  { writer, base, progress }: { writer: BackupWriter; base: BaseBackup | undefined; progress: Progress },
): Promise<void> {
  const unchangedBefore = base ? Date.parse(base.startedAt) - uncertainMs : 0
  for await (const { key, modifiedAt } of objects.list()) {
    const modifiedMs = modifiedAt.getTime()
    const described = { kind: 'object', key, modifiedMs: Math.max(0, Math.floor(modifiedMs)) } as const
    const known = await base?.objectOf(key)
    const isUnchanged = known?.modifiedMs === described.modifiedMs && modifiedMs < unchangedBefore
    if (known && isUnchanged) {
      const { modifiedMs: _, ...part } = known
      await writer.reuse(described, part)
      progress.advance(part.sizeBytes)
      continue
    }
    const opened = await objects.get(key)
    // It was replaced while it was listed, or the operator removed it.
    if (!opened) continue
    await writer.content(described, opened.sizeBytes, opened.stream, { mayCompress: true })
    progress.advance(opened.sizeBytes)
  }
}
