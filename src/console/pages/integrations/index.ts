import type { Page } from '../../page.ts'
import { integrationPage } from './integration.tsx'
import { listPage } from './list.tsx'

/** The pages about integrations of projects and groups. */
export const integrationPages: readonly Page[] = (['project', 'group'] as const).flatMap((place) => [
  listPage(place),
  integrationPage(place),
])
