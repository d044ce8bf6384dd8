import type { Page } from '../../page.ts'
import { client } from './client.tsx'
import { flag } from './flag.tsx'
import { flags, newFlag } from './flags.tsx'

/** The pages about feature flags. */
export const flagPages: readonly Page[] = [flags, newFlag, client, flag]
