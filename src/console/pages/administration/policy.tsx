import type { AnswerOf } from '../../../api/index.ts'
import { applicationStatistics, policyGet } from '../../operations.ts'
import { page } from '../../page.ts'
import { Icon } from '../../parts/parts.tsx'

type Policy = AnswerOf<typeof policyGet>

const withoutRole: Readonly<Record<string, string>> = { all: 'All callers', signed_in: 'Signed-in users' }
const administratorLevel = 60

function Abilities({
  label,
  roles,
  abilities,
}: {
  label: string
  roles: Policy['roles']
  abilities: Policy['projects']
}) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table class="list policy">
        <thead>
          <tr>
            <th scope="col">Ability</th>
            <th scope="col">Without a role</th>
            {roles.map(({ name }) => (
              <th scope="col">{name}</th>
            ))}
            <th scope="col">Conditions</th>
          </tr>
        </thead>
        <tbody>
          {abilities.map(({ name, least_role: least, without_role: others, conditions }) => (
            <tr>
              <td>
                <code>{name}</code>
              </td>
              <td data-label="Without a role">
                {least === administratorLevel
                  ? 'Administrators only'
                  : (withoutRole[others] ?? <span class="none">–</span>)}
              </td>
              {roles.map(({ access_level: level, name: role }) => (
                <td data-label={role}>
                  {level >= least ? <Icon name="done" label="yes" /> : <span class="none"></span>}
                </td>
              ))}
              <td data-label="Conditions">
                {conditions.length > 0 ? conditions.join('; ') : <span class="none"></span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Which role may do what. It is for all callers; administrators have it in the navigation. */
export const policy = page({
  at: 'instance',
  path: 'docs/policy',
  nav: { section: 'Instance', label: 'Who may do what', operation: [policyGet, applicationStatistics] },
  async show(visit) {
    const { roles, projects, groups } = await visit.read(policyGet, {})
    return {
      title: 'Who may do what',
      body: (
        <div class="derived">
          <p class="lead">
            A role counts where it was given and in everything below. Administrators have every ability.
          </p>
          <p>
            “Without a role” says who has an ability in a project or group that its visibility shows to them. “Not while
            archived” holds while a project or group, or a group above it, is archived or marked for deletion. A feature
            that a project limits to members needs a role; one that is disabled refuses every caller.
          </p>
          <section>
            <h2>Projects</h2>
            <Abilities label="Abilities in projects" roles={roles} abilities={projects} />
          </section>
          <section>
            <h2>Groups</h2>
            <Abilities label="Abilities in groups" roles={roles} abilities={groups} />
          </section>
        </div>
      ),
    }
  },
})
