import { storageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'

/** Digests of the blobs whose content is in the object store. */
export async function storedDigests({ objects }: Pick<Platform, 'objects'>): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of objects.list(storageKey('blobs'))) {
    const [, algorithm, , hex] = key.split('/')
    if (algorithm?.startsWith('sha')) found.push(`${algorithm}:${hex}`)
  }
  return found
}
