/** Marks repositories from which clients are fetching, for all processes that serve them. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ignoreMissing, namesIn } from '../../files/index.ts'

/** A folder in the repository with an empty file for each fetch. A killed process leaves its files; `clearStale` deletes them. */
const FETCHES = 'fetches'

const ignore = () => {}

/**
 * Runs a fetch, and marks the repository meanwhile.
 * @param input what the client sends; an error of it before the fetch begins has no other listener, and would end the process
 */
export async function whileFetching<T>(directory: string, input: Readable, fetch: () => Promise<T>): Promise<T> {
  input.on('error', ignore)
  const mark = join(directory, FETCHES, randomUUID())
  const write = () => writeFile(mark, '').then(() => true, ignoreMissing)
  if (!(await write())) {
    // Not recursive: the repository may be missing, which the fetch reports.
    await mkdir(join(directory, FETCHES)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
    })
    await write()
  }
  try {
    return await fetch()
  } finally {
    input.off('error', ignore)
    await rm(mark, { force: true })
  }
}

/** Whether a client is fetching from a repository. */
export async function isBeingFetched(directory: string): Promise<boolean> {
  return (await namesIn(join(directory, FETCHES))).length > 0
}
