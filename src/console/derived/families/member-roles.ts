import { wordOf } from '../../parts/words.ts'
import type { Family, Words } from '../declared.ts'

/**
 * The member roles that can be given in a project or group, each with the level that a member has to have for it. Owners of the group see
 * them; others have no field, since they know none.
 */
export const memberRoles = (at: 'project' | 'group', words: Readonly<Record<string, Words>> = {}) =>
  ({
    words: { ...words, member_role_id: { label: 'Member role', hint: 'Only with the access level that it names.' } },
    onlyChosen: ['member_role_id'],
    choices: {
      member_role_id: [
        'group_member_roles.list',
        'id',
        ({ name, base_access_level: level }) => `${name} (${wordOf('access_level', level)})`,
        ({ project, group }) => ({
          id: at === 'group' ? group.id : (project.namespace?.id ?? 0),
          include_inherited: true,
        }),
      ],
    },
  }) satisfies Pick<Family, 'words' | 'onlyChosen' | 'choices'>
