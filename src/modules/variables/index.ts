import type { Module } from '../../platform/index.ts'
import * as stored from './stored/operations.ts'

export { bytesOfVariables, mostBytesOfJob, requireShortValues, valueProblems } from './delivery/bounds.ts'
export { type JobVariable, mergeVariables } from './delivery/job-variables.ts'
export { type StoredVariables, storedVariables } from './delivery/stored-variables.ts'
export { environmentScopeProblems, keyProblems } from './stored/validation.ts'

const { variableOperations, ...ofInstance } = stored

/** CI/CD variables of projects, groups and the instance (contract 03). */
export const variables: Module = {
  name: 'variables',
  tags: { 'CI variables': 'Variables that jobs of pipelines get.' },
  operations: [...variableOperations, ...Object.values(ofInstance)],
}
