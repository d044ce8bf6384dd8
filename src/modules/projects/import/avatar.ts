import { uploadedFile } from '../../../api/index.ts'
import type { Importing, Platform } from '../../../platform/index.ts'
import { putAvatar, readAvatar, removeAvatar } from '../../users/index.ts'
import { projectById, updateProject } from '../core/store.ts'

/**
 * Gives a project the picture of a file.
 * @param place the path of the file on disk
 * @throws ApiError 400 for what is no picture
 */
export async function importAvatar(
  platform: Platform,
  { id }: Importing,
  { place, filename, sizeBytes }: { place: string; filename: string; sizeBytes: number },
): Promise<void> {
  const { database } = platform
  const picture = await readAvatar(uploadedFile({ filename, contentType: '', sizeBytes, path: place }))
  const former = (await projectById(database.read, id))?.avatar ?? null
  await putAvatar(platform, 'project', id, picture)
  await database.write((tx) => updateProject(tx, id, { avatar: picture.name }))
  await removeAvatar(platform, 'project', id, former)
}
