/** The types of items that are replicated (contract 15, "What is replicated"). */
export const replicableTypes = [
  'project_repositories',
  'project_wiki_repositories',
  'group_wiki_repositories',
  'snippet_repositories',
  'design_management_repositories',
  'uploads',
  'lfs_objects',
  'package_files',
  'container_repositories',
] as const

export type ReplicableType = (typeof replicableTypes)[number]

/** Types with a capacity in common. */
export type TransferClass = 'repositories' | 'files' | 'container_repositories'

const files: readonly ReplicableType[] = ['uploads', 'lfs_objects', 'package_files']

/** Whose capacity limits the transfers of a type. */
export function classOf(type: ReplicableType): TransferClass {
  if (type === 'container_repositories') return type
  return files.includes(type) ? 'files' : 'repositories'
}

/** The types of a class. */
export function typesOf(wanted: TransferClass): ReplicableType[] {
  return replicableTypes.filter((type) => classOf(type) === wanted)
}

export function isReplicableType(text: string): text is ReplicableType {
  return (replicableTypes as readonly string[]).includes(text)
}
