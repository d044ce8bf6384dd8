import { forbidden, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import { branchName, branchRef, type Oid, type RefName } from '../../infra/git/index.ts'
import { settingsOfGroup } from '../groups/index.ts'
import { holdTree, type NamespaceRow } from '../namespaces/index.ts'
import { chooseStorage, defaultBranchOf, type ProjectRow, projectById } from '../projects/index.ts'
import {
  insertRepository,
  type OpenedRepository,
  type Repositories,
  type RepositoryRow,
  readOnly,
  repositoryOfNamespace,
  repositoryOfProject,
} from '../repositories/index.ts'

/** Whose wiki it is. */
export type WikiOwner = { project: ProjectRow } | { group: NamespaceRow }

export type WikiRepositoriesNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  /** Name of the default branch where nothing else is said. */
  defaultBranchName(): Promise<string>
  /** How often each storage is chosen for a new repository. */
  storageWeights(): Promise<Readonly<Record<string, number>>>
  /** From 0 up to, not including, 1. */
  random(): number
}

/** The repositories behind the wikis: each is made when it is first needed (contract 22 R8). */
export type WikiRepositories = ReturnType<typeof createWikiRepositories>

/** A wiki's repository with the branch that holds its pages, and where that stands; null while there is no page. */
export type OpenedWiki = { opened: OpenedRepository; branch: string; head: Oid | null }

function rowOf(db: Reader, owner: WikiOwner): Promise<RepositoryRow | null> {
  return 'project' in owner
    ? repositoryOfProject(db, owner.project.id, 'wiki')
    : repositoryOfNamespace(db, owner.group.id, 'wiki')
}

export function createWikiRepositories(needs: WikiRepositoriesNeeds) {
  const { database, repositories, clock, defaultBranchName } = needs

  async function headOf(owner: WikiOwner): Promise<RefName | undefined> {
    const name =
      'project' in owner
        ? await defaultBranchOf(owner.project, defaultBranchName)
        : settingsOfGroup(owner.group).default_branch || (await defaultBranchName())
    return branchRef(name) ?? undefined
  }

  /** Where a new wiki is to be: beside its project's code, or wherever the weights say. */
  async function placeOf(owner: WikiOwner): Promise<Pick<RepositoryRow, 'storage' | 'object_format'>> {
    const code = 'project' in owner ? await repositoryOfProject(database.read, owner.project.id) : null
    return code ?? { storage: chooseStorage(await needs.storageWeights(), needs.random()), object_format: 'sha1' }
  }

  async function insert(owner: WikiOwner): Promise<RepositoryRow> {
    const { storage, object_format: objectFormat } = await placeOf(owner)
    const rest = { kind: 'wiki', storage, objectFormat, now: now(clock) } as const
    return database.write(async (tx) => {
      const isProject = 'project' in owner
      const namespace = await holdTree(tx, isProject ? owner.project.namespace_id : owner.group.id)
      const place = isProject ? await projectById(tx, owner.project.id) : namespace
      if (!place || place.pending_delete) throw notFound(isProject ? 'Project' : 'Group')
      return insertRepository(tx, { owner: isProject ? { projectId: place.id } : { namespaceId: place.id }, ...rest })
    })
  }

  /** The row of a wiki that is on disk; both are made where they are missing. */
  async function ensure(owner: WikiOwner): Promise<RepositoryRow> {
    const found =
      (await rowOf(database.read, owner)) ??
      (await insert(owner).catch(async (error) => {
        const other = isUniqueViolation(error) ? await rowOf(database.read, owner) : null
        if (!other) throw error
        return other
      }))
    if (found.generation > 0) return found
    await repositories.open(found, await headOf(owner))
    return { ...found, generation: 1 }
  }

  async function open(row: RepositoryRow): Promise<OpenedWiki> {
    const repository = await repositories.open(row)
    const snapshot = await repository.refs(row.generation)
    const branch = branchName(await repository.head()) ?? 'main'
    return { opened: { row, repository, snapshot }, branch, head: snapshot.branch(branch)?.oid ?? null }
  }

  return {
    ensure,

    /** The row of a wiki, if it was ever needed. */
    find: (owner: WikiOwner) => rowOf(database.read, owner),

    /** Opens a wiki for reading; null when it has never had anything in it. */
    async open(owner: WikiOwner): Promise<OpenedWiki | null> {
      const row = await rowOf(database.read, owner)
      return row && row.generation > 0 ? open(row) : null
    },

    /**
     * Opens a wiki for a change; makes it if it must.
     * @throws ApiError 403 while its repository is being moved (contract 10)
     */
    async openForWriting(owner: WikiOwner): Promise<OpenedWiki> {
      const row = await ensure(owner)
      if (row.read_only) throw forbidden(readOnly)
      return open(row)
    },
  }
}
