import { blank, lengthProblems, notIncluded, type Problems, refuse, taken } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { NodeRow } from '../tables.ts'
import { nameKey, nodeByNameKey, primaryNode } from './store.ts'

/** What is checked of a node, as it would be after the change. */
export type Candidate = Pick<
  NodeRow,
  | 'name'
  | 'url'
  | 'internal_url'
  | 'is_primary'
  | 'enabled'
  | 'files_max_capacity'
  | 'repos_max_capacity'
  | 'verification_max_capacity'
  | 'container_repositories_max_capacity'
  | 'minimum_reverification_interval'
> & { id: number | null; selective_sync_type: string | null }

/** A slash is appended, unless there is one. */
export const withSlash = (url: string) => (url.endsWith('/') ? url : `${url}/`)

function urlProblems(text: string): string[] {
  const parsed = URL.parse(text)
  if (!parsed || /\s/.test(text)) return ['must be a valid URL']
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return ['is blocked: Only allowed schemes are http, https']
  }
  return []
}

const atLeast = (minimum: number, value: number) =>
  value < minimum ? [`must be greater than or equal to ${minimum}`] : []

async function nameProblems(tx: Tx, { id, name }: Candidate): Promise<string[]> {
  if (name === '') return [blank]
  const tooLong = lengthProblems(name, 255)
  const other = tooLong.length === 0 ? await nodeByNameKey(tx, nameKey(name)) : null
  return other && other.id !== id ? [taken] : tooLong
}

/**
 * Checks a new or changed node (contract 3.40).
 * @param ownName name of this server: its record must be the primary's, because a secondary accepts no changes
 * @throws ApiError 400 with the problems of all fields
 */
export async function requireValid(tx: Tx, node: Candidate, ownName: string): Promise<void> {
  const primary = node.is_primary ? await primaryNode(tx) : null
  const isOwn = sameName(node.name, ownName)
  const interval = node.minimum_reverification_interval
  const problems: Problems = {
    name: await nameProblems(tx, node),
    url: urlProblems(node.url),
    internal_url: node.internal_url === null ? [] : urlProblems(node.internal_url),
    primary: primary && primary.id !== node.id ? ['node already exists'] : [],
    enabled: node.is_primary && !node.enabled ? ['Geo primary node cannot be disabled'] : [],
    base:
      isOwn && !node.is_primary ? ['Current node must be the primary node or you will be locking yourself out'] : [],
    selective_sync_type:
      node.selective_sync_type === null || ['namespaces', 'shards'].includes(node.selective_sync_type)
        ? []
        : [notIncluded],
    files_max_capacity: atLeast(0, node.files_max_capacity),
    repos_max_capacity: atLeast(0, node.repos_max_capacity),
    verification_max_capacity: atLeast(0, node.verification_max_capacity),
    container_repositories_max_capacity: atLeast(0, node.container_repositories_max_capacity),
    minimum_reverification_interval: atLeast(1, interval),
  }
  refuse(problems)
}

const withoutSlash = (name: string) => name.replace(/\/+$/, '')

/** Whether two names are those of one node; a slash at the end does not count (contract 15, `current`). */
export function sameName(a: string, b: string): boolean {
  return withoutSlash(a) === withoutSlash(b)
}
