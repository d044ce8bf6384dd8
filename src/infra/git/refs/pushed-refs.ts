/** Moves the refs of a push: as many as possible in one transaction, or all or none when the client asked for that. */
import { GitError, RefConflict, type RefConflictReason } from '../model/errors.ts'
import { isZeroOid, type Oid, parseOid, type RefName, refName } from '../model/names.ts'
import type { RefChange } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { readAllRefs } from './all-refs.ts'
import { updateRefs } from './ref-update.ts'

/** The changes that took effect, and why each of the others did not. */
export type MovedRefs = { moved: readonly RefChange[]; refused: ReadonlyMap<RefName, string> }

/** How often a part of a push is tried again without the refs that conflict. Then the rest of it is refused. */
const ATTEMPTS = 5

const stale = 'it has changed meanwhile'
const reasons: Record<RefConflictReason, string> = {
  moved: stale,
  exists: stale,
  missing: stale,
  directory: 'another ref is in its way',
  locked: 'it is locked',
}
const noCommit = 'the object cannot be the head of a branch'

function sentence(reason: string): string {
  return `failed to update ref: ${reason}`
}

/**
 * Moves the refs of a push, durably. Each is compared with its expected id.
 * @param atomic all of them, or none
 * @throws GitError when git failed for another reason than a conflict; then refs may have moved
 */
export async function movePushedRefs(
  context: RepositoryContext,
  changes: readonly RefChange[],
  { atomic }: { atomic: boolean },
): Promise<MovedRefs> {
  const moved: RefChange[] = []
  const refused = new Map<RefName, string>()
  const deletions = changes.filter((change) => isZeroOid(change.new))
  const others = changes.filter((change) => !isZeroOid(change.new))
  // Deletions first: a branch may take the place of deleted ones.
  for (const part of atomic ? [changes] : [deletions, others]) await movePart(context, part, atomic, moved, refused)
  // Deleting a ref that does not exist is accepted and changes nothing.
  return { moved: moved.filter((change) => !(isZeroOid(change.old) && isZeroOid(change.new))), refused }
}

async function movePart(
  context: RepositoryContext,
  part: readonly RefChange[],
  atomic: boolean,
  moved: RefChange[],
  refused: Map<RefName, string>,
): Promise<void> {
  let left = part
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const conflict = await conflictOf(context, left)
    if (conflict === null) {
      moved.push(...left)
      return
    }
    if (atomic || attempt === ATTEMPTS) {
      for (const { ref } of left) refused.set(ref, sentence(conflict.reason))
      return
    }
    refused.set(conflict.ref, sentence(conflict.reason))
    if (attempt === 1) for (const [ref, reason] of await conflictsIn(context, left)) refused.set(ref, sentence(reason))
    left = left.filter(({ ref }) => !refused.has(ref))
  }
}

/** Moves refs, all or none. @returns the ref that prevents it; null when they have moved */
async function conflictOf(
  context: RepositoryContext,
  changes: readonly RefChange[],
): Promise<{ ref: RefName; reason: string } | null> {
  try {
    await updateRefs(context, changes)
    return null
  } catch (error) {
    if (error instanceof RefConflict) return { ref: error.ref, reason: reasons[error.reason] }
    const named = error instanceof GitError && error.code === 'object_missing' ? refIn(error.stderr) : null
    if (named === null) throw error
    return { ref: named, reason: noCommit }
  }
}

function refIn(stderr: string): RefName | null {
  return refName(/ref '(refs\/[^\s:]+)'/.exec(stderr)?.[1] ?? '')
}

/** Finds all changes that conflict with the refs of the repository or with each other, so that one attempt more is enough. */
async function conflictsIn(
  context: RepositoryContext,
  changes: readonly RefChange[],
): Promise<[ref: RefName, reason: string][]> {
  const current = refsIn(await readAllRefs(context))
  const created = new Set(changes.filter((change) => !isZeroOid(change.new)).map(({ ref }): string => ref))
  const directories = new Set([...current.keys()].flatMap(directoriesOf))
  return changes.flatMap((change): [RefName, string][] => {
    const { ref, old } = change
    const at = current.get(ref) ?? null
    if (at !== (isZeroOid(old) ? null : old)) return [[ref, stale]]
    if (at !== null || isZeroOid(change.new)) return []
    const isBlocked = directories.has(ref) || directoriesOf(ref).some((path) => current.has(path) || created.has(path))
    return isBlocked ? [[ref, reasons.directory]] : []
  })
}

function refsIn(listed: Buffer): Map<string, Oid> {
  const refs = new Map<string, Oid>()
  for (const line of listed.toString('utf8').split('\n')) {
    const end = line.indexOf(' ')
    const oid = parseOid(line.slice(0, Math.max(0, end)))
    if (oid !== null) refs.set(line.slice(end + 1), oid)
  }
  return refs
}

/** `refs`, `refs/heads`, `refs/heads/a` for `refs/heads/a/b`. */
function directoriesOf(ref: string): string[] {
  const directories: string[] = []
  for (let end = ref.indexOf('/'); end >= 0; end = ref.indexOf('/', end + 1)) directories.push(ref.slice(0, end))
  return directories
}
