import type { Module } from '../../platform/index.ts'
import * as instance from './instance/operations.ts'
import * as project from './project/operations.ts'

/** What repositories start from: templates of Dockerfiles, `.gitignore`, CI configurations and licences (contract 24). */
export const templates: Module = {
  name: 'templates',
  tags: { Templates: 'Contents that repositories, issues and merge requests start from.' },
  operations: [...Object.values(instance), ...Object.values(project)],
}
