import type { Issue } from '../../world-types.ts'
import { firstIssues } from './first-issues.ts'
import { laterIssues } from './later-issues.ts'

export const issues: readonly Issue[] = [...firstIssues, ...laterIssues]
