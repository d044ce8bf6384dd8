import type { Module } from '../../platform/index.ts'
import { graphqlGet, graphqlPost } from './operations.ts'

/** Queries over what the operations of the other modules show (contract 25, "GraphQL"). */
export const graphql: Module = {
  name: 'graphql',
  tags: { GraphQL: 'Queries over users, projects, groups, issues and merge requests. There are no mutations.' },
  operations: [graphqlPost, graphqlGet],
}
