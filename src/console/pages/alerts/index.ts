import type { Page } from '../../page.ts'
import { alert } from './alert.tsx'
import { alerts } from './alerts.tsx'
import { integrations } from './integrations.tsx'

/** The pages about alerts. */
export const alertPages: readonly Page[] = [alerts, integrations, alert]
