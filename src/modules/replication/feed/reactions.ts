import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { itemsOfGroup, itemsOfProject, itemsOfSnippets, typeOfRepository } from '../items/items.ts'
import { containerRepositoriesBelow } from '../items/store.ts'
import { isPrimary } from '../nodes/role.ts'
import { type ReplicableType, replicableTypes } from '../types.ts'
import { recordChanges, recordDeletions } from './feed.ts'

/** Records a change of refs. */
export const followRepository: Reaction<Events['repository.changed']> = async (platform, tx, { repositoryId }) => {
  if (!(await isPrimary(platform, tx))) return
  const type = await typeOfRepository(tx, repositoryId)
  if (type) await recordChanges(platform, tx, type, [repositoryId])
}

type Items = Partial<Record<ReplicableType, number[]>>

async function recordRemoved(platform: Platform, tx: Parameters<Reaction<never>>[1], items: Items): Promise<void> {
  for (const type of replicableTypes) await recordDeletions(platform, tx, type, items[type] ?? [])
}

/** Records the repository of a new project. */
export const followProject: Reaction<Events['project.created']> = async (platform, tx, { projectId }) => {
  if (!(await isPrimary(platform, tx))) return
  const { project_repositories: ids = [] } = await itemsOfProject(tx, projectId)
  await recordChanges(platform, tx, 'project_repositories', ids, 'created')
}

/** Records a project in another place: what nodes copy of it, and the paths of its images. */
export const followMovedProject: Reaction<Events['project.moved']> = async (platform, tx, { projectId }) => {
  if (!(await isPrimary(platform, tx))) return
  const items = await itemsOfProject(tx, projectId)
  for (const type of replicableTypes) await recordChanges(platform, tx, type, items[type] ?? [])
}

/** Records the images below a namespace that has another path: their paths have changed with it. */
export const followMovedNamespace: Reaction<Events['namespace.moved']> = async (platform, tx, { namespaceId }) => {
  if (!(await isPrimary(platform, tx))) return
  await recordChanges(platform, tx, 'container_repositories', await containerRepositoriesBelow(tx, namespaceId))
}

/** Records everything that is deleted with a project. */
export const followRemovedProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  if (await isPrimary(platform, tx)) await recordRemoved(platform, tx, await itemsOfProject(tx, projectId))
}

/** Records everything that is deleted with a group, whose projects were deleted before. */
export const followRemovedGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  if (await isPrimary(platform, tx)) await recordRemoved(platform, tx, await itemsOfGroup(tx, groupId))
}

/** Records the repositories of deleted snippets. */
export const followRemovedSnippets: Reaction<Events['snippets.removed']> = async (platform, tx, { snippetIds }) => {
  if (!(await isPrimary(platform, tx))) return
  await recordDeletions(platform, tx, 'snippet_repositories', await itemsOfSnippets(tx, snippetIds))
}

export const followUpload: Reaction<Events['upload.created']> = (platform, tx, { uploadId }) =>
  recordChanges(platform, tx, 'uploads', [uploadId], 'created')

export const followRemovedUpload: Reaction<Events['upload.removed']> = (platform, tx, { uploadId }) =>
  recordDeletions(platform, tx, 'uploads', [uploadId])

export const followLfsObjects: Reaction<Events['lfs_objects.stored']> = (platform, tx, { objectIds }) =>
  recordChanges(platform, tx, 'lfs_objects', objectIds, 'created')

export const followRemovedLfsObjects: Reaction<Events['lfs_objects.removed']> = (platform, tx, { objectIds }) =>
  recordDeletions(platform, tx, 'lfs_objects', objectIds)

export const followPackageFiles: Reaction<Events['package_blobs.stored']> = (platform, tx, { blobIds }) =>
  recordChanges(platform, tx, 'package_files', blobIds, 'created')

export const followRemovedPackageFiles: Reaction<Events['package_blobs.removed']> = (platform, tx, { blobIds }) =>
  recordDeletions(platform, tx, 'package_files', blobIds)

export const followSecureFiles: Reaction<Events['secure_file.created']> = (platform, tx, { fileId }) =>
  recordChanges(platform, tx, 'ci_secure_files', [fileId], 'created')

export const followRemovedSecureFiles: Reaction<Events['secure_file.removed']> = (platform, tx, { fileId }) =>
  recordDeletions(platform, tx, 'ci_secure_files', [fileId])

export const followStateVersions: Reaction<Events['terraform_version.stored']> = (platform, tx, { versionId }) =>
  recordChanges(platform, tx, 'terraform_state_versions', [versionId], 'created')

export const followRemovedStateVersions: Reaction<Events['terraform_versions.removed']> = (
  platform,
  tx,
  { versionIds },
) => recordDeletions(platform, tx, 'terraform_state_versions', versionIds)

export const followSites: Reaction<Events['site.published']> = (platform, tx, { deploymentId }) =>
  recordChanges(platform, tx, 'pages_deployments', [deploymentId], 'created')

export const followRemovedSites: Reaction<Events['sites.removed']> = (platform, tx, { deploymentIds }) =>
  recordDeletions(platform, tx, 'pages_deployments', deploymentIds)

export const followImages: Reaction<Events['container_repository.changed']> = (platform, tx, { repositoryId }) =>
  recordChanges(platform, tx, 'container_repositories', [repositoryId])

export const followRemovedImages: Reaction<Events['container_repository.removed']> = (platform, tx, { repositoryId }) =>
  recordDeletions(platform, tx, 'container_repositories', [repositoryId])
