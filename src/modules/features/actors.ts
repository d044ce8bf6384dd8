import type { Reader } from '../../infra/database/index.ts'
import { ancestorsOf, type NamespaceRow } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'

/** For whom it is asked whether a feature is on. */
export type FeatureActors = { userId?: number | null; projectId?: number | null; groupId?: number | null }

/** Ids of actors, the narrowest first: each lies in the next. */
export type Chain = readonly string[]

const ids = {
  user: (id: number) => `User:${id}`,
  project: (id: number) => `Project:${id}`,
  namespace: ({ id, kind }: Pick<NamespaceRow, 'id' | 'kind'>) =>
    kind === 'group' ? `Group:${id}` : `Namespaces::UserNamespace:${id}`,
  repository: (path: string) => `Repository:${path}`,
}

/** The actors themselves, without what they lie in. */
export function directActors({ userId, projectId, groupId }: FeatureActors): string[] {
  return [
    ...(userId ? [ids.user(userId)] : []),
    ...(projectId ? [ids.project(projectId)] : []),
    ...(groupId ? [ids.namespace({ id: groupId, kind: 'group' })] : []),
  ]
}

const namespaceChain = async (db: Reader, id: number) => (await ancestorsOf(db, id)).map(ids.namespace)

async function projectChain(db: Reader, id: number): Promise<string[]> {
  const project = await projectById(db, id)
  if (!project) return [ids.project(id)]
  return [ids.repository(project.full_path), ids.project(id), ...(await namespaceChain(db, project.namespace_id))]
}

/** Each actor with what it lies in: a project has its repository before it, then its namespace and the groups above. */
export async function chainsOf(db: Reader, { userId, projectId, groupId }: FeatureActors): Promise<Chain[]> {
  return [
    ...(userId ? [[ids.user(userId)]] : []),
    ...(projectId ? [await projectChain(db, projectId)] : []),
    ...(groupId ? [await namespaceChain(db, groupId)] : []),
  ]
}
