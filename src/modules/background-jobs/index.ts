import type { Module } from '../../platform/index.ts'
import { jobMeasures } from './measures.ts'
import * as operations from './operations.ts'

export * from './operations.ts'

/** The work that the server does beside requests, for administrators (contract 20, "meta"). */
export const backgroundJobs: Module = {
  name: 'background-jobs',
  tags: { 'Background jobs': 'The work that the server does beside requests.' },
  operations: Object.values(operations),
  measures: jobMeasures,
}
