import type { Reader } from '../../../infra/database/index.ts'
import { containerRepositoriesOf } from '../../container-registry/index.ts'
import { sitesOfProject } from '../../pages/index.ts'
import { secureFilesOfProject } from '../../secure-files/index.ts'
import { stateVersionsOfProject } from '../../terraform-states/index.ts'
import type { ReplicableType } from '../types.ts'
import {
  repositoriesOfGroup,
  repositoriesOfProject,
  repositoriesOfSnippets,
  repositoryRow,
  uploadsIn,
} from './store.ts'

type Items = Partial<Record<ReplicableType, number[]>>

type Located = { id: number; kind: string; project_id: number | null }

/** The type of a repository, by its row. */
export function typeOf({ kind, project_id: projectId }: Located): ReplicableType {
  if (kind === 'snippet') return 'snippet_repositories'
  if (kind === 'project') return 'project_repositories'
  return projectId === null ? 'group_wiki_repositories' : 'project_wiki_repositories'
}

/** The type of a repository; null when there is none. */
export async function typeOfRepository(db: Reader, id: number): Promise<ReplicableType | null> {
  const row = await repositoryRow(db, id)
  return row && typeOf(row)
}

function byType(rows: readonly Located[]): Items {
  const grouped = Map.groupBy(rows, typeOf)
  return Object.fromEntries([...grouped].map(([type, found]) => [type, found.map(({ id }) => id)]))
}

/** Everything of a project that is replicated, but the LFS objects, which projects share. */
export async function itemsOfProject(db: Reader, projectId: number): Promise<Items> {
  return {
    ...byType(await repositoriesOfProject(db, projectId)),
    uploads: await uploadsIn(db, { projectId }),
    ci_secure_files: await secureFilesOfProject(db, projectId),
    pages_deployments: await sitesOfProject(db, projectId),
    terraform_state_versions: await stateVersionsOfProject(db, projectId),
    container_repositories: await containerRepositoriesOf(db, [projectId]),
  }
}

/** Everything of a group and the groups below it that is replicated, but what belongs to projects. */
export async function itemsOfGroup(db: Reader, groupId: number): Promise<Items> {
  return { ...byType(await repositoriesOfGroup(db, groupId)), uploads: await uploadsIn(db, { groupId }) }
}

/** The repositories of snippets. */
export const itemsOfSnippets = repositoriesOfSnippets
