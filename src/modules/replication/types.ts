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
  'ci_secure_files',
  'pages_deployments',
  'terraform_state_versions',
  'container_repositories',
] as const

export type ReplicableType = (typeof replicableTypes)[number]

/** Types with a capacity in common. */
export type TransferClass = 'repositories' | 'files' | 'container_repositories'

/** The types of which each item is one file. */
export const fileTypes = [
  'uploads',
  'lfs_objects',
  'package_files',
  'ci_secure_files',
  'pages_deployments',
  'terraform_state_versions',
] as const

export type FileType = (typeof fileTypes)[number]

export const isFileType = (type: ReplicableType): type is FileType => (fileTypes as readonly string[]).includes(type)

/** Whose capacity limits the transfers of a type. */
export function classOf(type: ReplicableType): TransferClass {
  if (type === 'container_repositories') return type
  return isFileType(type) ? 'files' : 'repositories'
}

/** The types of a class. */
export function typesOf(wanted: TransferClass): ReplicableType[] {
  return replicableTypes.filter((type) => classOf(type) === wanted)
}

export function isReplicableType(text: string): text is ReplicableType {
  return (replicableTypes as readonly string[]).includes(text)
}
