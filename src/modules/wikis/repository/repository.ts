import { forbidden, notFound } from '../../../api/index.ts'
import { isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { branchName, branchRef, type Oid, type RefName } from '../../../infra/git/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import {
  holdWritable,
  insertRepository,
  type OpenedRepository,
  openRow,
  type RepositoryRow,
  readOnly,
  refsAt,
  repositoryOfNamespace,
  repositoryOfProject,
} from '../../../platform/repositories/index.ts'
import { settingsOfGroup } from '../../groups/index.ts'
import { holdTree, type NamespaceRow } from '../../namespaces/index.ts'
import { chooseStorage, defaultBranchName, type ProjectRow, projectById } from '../../projects/index.ts'

/** The project or the group of a wiki. */
export type WikiOwner = { project: ProjectRow; group?: undefined } | { group: NamespaceRow; project?: undefined }

/** A wiki's repository, the branch of its pages, and the head of that branch; null while there are no pages. */
export type OpenedWiki = { opened: OpenedRepository; branch: string; head: Oid | null }

function rowOf(db: Reader, { project, group }: WikiOwner): Promise<RepositoryRow | null> {
  return project ? repositoryOfProject(db, project.id, 'wiki') : repositoryOfNamespace(db, group.id, 'wiki')
}

/** The first branch of a new wiki. */
async function firstBranch(platform: Platform, { project, group }: WikiOwner): Promise<RefName | undefined> {
  const ofGroup = group && settingsOfGroup(group).default_branch
  const name = ofGroup || (await defaultBranchName(platform, project ?? { default_branch: null }))
  return branchRef(name) ?? undefined
}

/**
 * The storage of a new wiki: that of the project's code, or the one that was chosen.
 * @throws ApiError 403 while the code is moved to another storage: the wiki would stay behind (contract 10)
 */
async function storageOf(
  tx: Tx,
  { project }: WikiOwner,
  chosen: string,
): Promise<Pick<RepositoryRow, 'storage' | 'object_format'>> {
  const code = project ? await repositoryOfProject(tx, project.id) : null
  if (!code) return { storage: chosen, object_format: 'sha1' }
  if ((await holdWritable(tx, code)) === false) throw forbidden(readOnly)
  return code
}

async function insert(platform: Platform, owner: WikiOwner): Promise<RepositoryRow> {
  const { project, group } = owner
  const { repository_storages_weighted: weights } = await platform.settings.current()
  const chosen = chooseStorage(weights, platform.random())
  const code = project ? await repositoryOfProject(platform.database.read, project.id) : null
  await platform.storages.require(code?.storage ?? chosen)
  return platform.database.write(async (tx) => {
    const namespace = await holdTree(tx, project ? project.namespace_id : group.id)
    const found = project ? await projectById(tx, project.id) : namespace
    if (!found || found.pending_delete) throw notFound(project ? 'Project' : 'Group')
    const { storage, object_format: objectFormat } = await storageOf(tx, owner, chosen)
    const rest = { kind: 'wiki', storage, objectFormat, now: now(platform.clock) } as const
    const owned = project ? { projectId: found.id } : { namespaceId: found.id }
    const made = await insertRepository(tx, { owner: owned, ...rest })
    await react(platform, tx, 'repository.changed', { repositoryId: made.id })
    return made
  })
}

/** The row of a wiki's repository; null for a wiki that was never used. */
export function findWiki({ database }: Platform, owner: WikiOwner): Promise<RepositoryRow | null> {
  return rowOf(database.read, owner)
}

/** The row of a wiki's repository; the row and the repository are created when missing (contract 22 R8). */
export async function ensureWiki(platform: Platform, owner: WikiOwner): Promise<RepositoryRow> {
  const { read } = platform.database
  const found =
    (await rowOf(read, owner)) ??
    (await insert(platform, owner).catch(async (error) => {
      const other = isUniqueViolation(error) ? await rowOf(read, owner) : null
      if (!other) throw error
      return other
    }))
  if (found.generation > 0) return found
  await openRow(platform, found, await firstBranch(platform, owner))
  return { ...found, generation: 1 }
}

async function open(platform: Platform, row: RepositoryRow): Promise<OpenedWiki> {
  const repository = await openRow(platform, row)
  const snapshot = await refsAt(platform, row, repository)
  const branch = branchName(await repository.head()) ?? 'main'
  return { opened: { row, repository, snapshot }, branch, head: snapshot.branch(branch)?.oid ?? null }
}

/** Opens a wiki for reading; null for a wiki that was never used. */
export async function openWiki(platform: Platform, owner: WikiOwner): Promise<OpenedWiki | null> {
  const row = await findWiki(platform, owner)
  return row && row.generation > 0 ? open(platform, row) : null
}

/** Opens a wiki for a change; it is created when missing. @throws ApiError 403 while it is being moved (contract 10) */
export async function openWikiForWriting(platform: Platform, owner: WikiOwner): Promise<OpenedWiki> {
  const row = await ensureWiki(platform, owner)
  if (row.read_only) throw forbidden(readOnly)
  return open(platform, row)
}
