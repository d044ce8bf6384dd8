import { ApiError, notFound } from '../../api/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'

/** To whom variables belong. */
export type VariableOwner = { kind: 'project' | 'group' | 'instance'; id: number | null }

export const instanceOwner: VariableOwner = { kind: 'instance', id: null }

export const ownerOf = ({ kind, id }: Pick<ProjectOrGroup, 'kind' | 'id'>): VariableOwner => ({ kind, id })

const words = { project: 'Variable', group: 'GroupVariable', instance: 'InstanceVariable' } as const

/** 404 in the words of the owner. */
export const variableNotFound = ({ kind }: VariableOwner): ApiError => notFound(words[kind])

/** 409: several variables have the key, and no scope was given (contract 03, 2.2). */
export const severalVariables = (): ApiError =>
  new ApiError('several_variables', 409, {
    message: "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
  })
