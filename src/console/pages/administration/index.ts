import type { Page } from '../../page.ts'
import { look } from './look.tsx'
import { administration } from './overview.tsx'
import { policy } from './policy.tsx'

/** Pages about the whole server that are no plain family. */
export const administrationPages: readonly Page[] = [administration, look, policy]
