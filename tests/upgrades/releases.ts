/** What past releases left behind: a folder for each, with `data.zip` and `backup.gz` (`store-release.ts`). */
import { fileURLToPath } from 'node:url'

export const releases = fileURLToPath(new URL('./releases', import.meta.url))

/** The token of root in the stored data. */
export const tokenOfRoot = 'glpat-of-root-in-stored-releases'
