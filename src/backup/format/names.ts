/** The names in the tar file. They are numbers: nothing in a backup can name a path outside of it. */
export const headerFile = 'backup.json'
export const manifestFile = 'manifest.ndjson.zst'
export const trailerFile = 'end.json'

/** The name of a content. @param number counted from 1 */
export function partFile(number: number): string {
  return `parts/${String(number).padStart(9, '0')}`
}

/** The last entry has a fixed size, so that it is found from the end of the file. */
export const trailerBytes = 512
