/** Reading across two repositories. */
import { join } from 'node:path'
import type { Repository } from './types.ts'

/** A directory as git reads it in a list of directories: in quotes where it would not stand for itself. */
function listed(directory: string): string {
  return /[:"\\\n]/.test(directory) ? JSON.stringify(directory) : directory
}

/**
 * The objects of one repository together with those of another, for reading alone: what of a fork and its source is
 * compared need not be copied. Nothing is remembered of what is read that way.
 */
export function readingTogether(own: Repository, other: Repository) {
  return {
    quarantine: {
      objectDirectory: join(own.directory, 'objects'),
      alternateObjectDirectories: listed(join(other.directory, 'objects')),
    },
  }
}
