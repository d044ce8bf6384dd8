import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

type Options = { data: unknown; mostMemoryMib: number; mostYoungMib?: number }

/**
 * What was compiled before is used again, as in the process itself: of a source, the thread would else load what strips its types,
 * which takes 20 MiB. Threads need nothing else of the environment.
 */
function environment(): Record<string, string> {
  const cache = getCompileCacheDir()
  // The folder below it is that of this version of Node.
  return cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}
}

/** Starts a thread. @param program path without extension, as a URL */
export function startThread(program: URL, { data, mostMemoryMib, mostYoungMib }: Options): Worker {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  return new Worker(new URL(`${program.href}${extension}`), {
    workerData: data,
    env: environment(),
    resourceLimits: { maxOldGenerationSizeMb: mostMemoryMib, maxYoungGenerationSizeMb: mostYoungMib },
  })
}
