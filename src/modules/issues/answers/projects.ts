import type { Platform } from '../../../platform/index.ts'
import { openCounts } from '../store.ts'

/** The number of open issues of projects, for their objects (contract 21, Project). */
export const openIssueCounts = ({ database }: Platform, projectIds: readonly number[]) =>
  openCounts(database.read, projectIds)
