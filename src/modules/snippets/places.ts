import { type InstanceAbility, instance, type Operation, type ParamSet, t } from '../../api/index.ts'
import type { Subject } from '../../platform/index.ts'
import type { ProjectAbility } from '../access/index.ts'
import { project } from '../projects/index.ts'
import type { Place } from './core/access.ts'

/** What a caller may do with the snippets of a place. */
type Abilities<A> = Readonly<Record<'list' | 'read' | 'create' | 'update' | 'inspect', A>>

/** What differs between the two declarations of an operation that personal snippets and those of projects share. */
type SnippetTwin = {
  /** Begins ids (`project_snippets.get`). */
  kind: 'snippets' | 'project_snippets'
  /** The path of the list, and that of one snippet. */
  path: string
  item: string
  subject: Subject<Place, string>
  allow: Abilities<string>
  /** The parameter of `item`. */
  idParams: ParamSet
  /** The id of the snippet in the path. */
  idOf(params: object): number
  /** The name of an operation in the contract: its number, or `x.project_snippet_<name>`. */
  contract(number: string, name: string): string
  /** Ends summaries. */
  where: '' | ' of a project'
}

const ofInstance: Abilities<InstanceAbility> = {
  list: 'authenticated',
  read: 'public',
  create: 'authenticated',
  update: 'authenticated',
  inspect: 'administrator',
}

const ofProject: Abilities<ProjectAbility> = {
  list: 'list_snippets',
  read: 'read_snippets',
  create: 'create_snippets',
  update: 'update_snippets',
  inspect: 'administer',
}

const everywhere: Place = { project: null }

const personalTwin: SnippetTwin = {
  kind: 'snippets',
  path: '/snippets',
  item: '/snippets/:id',
  subject: {
    ...(instance as Subject<undefined, InstanceAbility>),
    find: async () => everywhere,
    authorize: (actor, _, ability) => instance.authorize(actor, undefined, ability as InstanceAbility),
  } as Subject<Place, string>,
  allow: ofInstance,
  idParams: { id: t.id() },
  idOf: (params) => (params as { id: number }).id,
  contract: (number) => number,
  where: '',
}

const projectTwin: SnippetTwin = {
  kind: 'project_snippets',
  path: '/projects/:id/snippets',
  item: '/projects/:id/snippets/:snippet_id',
  subject: {
    ...project,
    find: async (platform, request, actor) => ({ project: await project.find(platform, request, actor) }),
    authorize(actor, { project: found }, ability: ProjectAbility) {
      if (found) return project.authorize(actor, found, ability)
    },
  },
  allow: ofProject,
  idParams: { snippet_id: t.id() },
  idOf: (params) => (params as { snippet_id: number }).snippet_id,
  contract: (_, name) => `x.project_snippet_${name}`,
  where: ' of a project',
}

/** Declares operations once for snippets as such and once for those of a project, by their names. */
export function atBothPlaces<Named extends Readonly<Record<string, Operation>>>(
  declare: (twin: SnippetTwin) => Named,
): { personal: Named; ofProject: Named } {
  return { personal: declare(personalTwin), ofProject: declare(projectTwin) }
}
