/** What is said about a licence besides its text. */
export type LicenseFacts = {
  key: string
  /** The id as SPDX writes it. */
  spdx: string
  name: string
  nickname: string | null
  source_url: string | null
  popular: boolean
  description: string
  permissions: string[]
  conditions: string[]
  limitations: string[]
}

const free = ['commercial-use', 'modifications', 'distribution', 'private-use']
const freeWithPatents = [...free, 'patent-use']
const unwarranted = ['liability', 'warranty']
const copyleft = ['include-copyright', 'document-changes', 'disclose-source', 'same-license']

/** The licences, by key. Their texts are those of SPDX, in `contents/licenses` (contract 24, "Templates"). */
export const catalogue: readonly LicenseFacts[] = [
  {
    key: 'agpl-3.0',
    spdx: 'AGPL-3.0-only',
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    source_url: 'https://www.gnu.org/licenses/agpl-3.0.txt',
    popular: false,
    description: 'Changed and larger works stay under this licence, also when they are only used over a network.',
    permissions: freeWithPatents,
    conditions: [...copyleft, 'network-use-disclose'],
    limitations: unwarranted,
  },
  {
    key: 'apache-2.0',
    spdx: 'Apache-2.0',
    name: 'Apache License 2.0',
    nickname: null,
    source_url: 'https://www.apache.org/licenses/LICENSE-2.0.txt',
    popular: true,
    description: 'Asks for notices of copyright and of changes, and grants the patents of the contributors.',
    permissions: freeWithPatents,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', ...unwarranted],
  },
  {
    key: 'bsd-2-clause',
    spdx: 'BSD-2-Clause',
    name: 'BSD 2-Clause "Simplified" License',
    nickname: null,
    source_url: 'https://opensource.org/license/bsd-2-clause',
    popular: false,
    description: 'Asks for the notice of copyright in sources and in programs.',
    permissions: free,
    conditions: ['include-copyright'],
    limitations: unwarranted,
  },
  {
    key: 'bsd-3-clause',
    spdx: 'BSD-3-Clause',
    name: 'BSD 3-Clause "New" or "Revised" License',
    nickname: null,
    source_url: 'https://opensource.org/license/bsd-3-clause',
    popular: false,
    description: 'As the licence with two clauses, and the names of the authors may not advertise derived works.',
    permissions: free,
    conditions: ['include-copyright'],
    limitations: unwarranted,
  },
  {
    key: 'bsl-1.0',
    spdx: 'BSL-1.0',
    name: 'Boost Software License 1.0',
    nickname: null,
    source_url: 'https://www.boost.org/LICENSE_1_0.txt',
    popular: false,
    description: 'Asks for the notice of copyright in sources only.',
    permissions: free,
    conditions: ['include-copyright--source'],
    limitations: unwarranted,
  },
  {
    key: 'cc0-1.0',
    spdx: 'CC0-1.0',
    name: 'Creative Commons Zero v1.0 Universal',
    nickname: null,
    source_url: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode.txt',
    popular: false,
    description: 'Gives up all rights that the law allows to give up. Made for data and texts.',
    permissions: free,
    conditions: [],
    limitations: [...unwarranted, 'trademark-use', 'patent-use'],
  },
  {
    key: 'epl-2.0',
    spdx: 'EPL-2.0',
    name: 'Eclipse Public License 2.0',
    nickname: null,
    source_url: 'https://www.eclipse.org/legal/epl-2.0',
    popular: false,
    description: 'Changed files stay under this licence; larger works may have another one.',
    permissions: freeWithPatents,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: unwarranted,
  },
  {
    key: 'gpl-2.0',
    spdx: 'GPL-2.0-only',
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    source_url: 'https://www.gnu.org/licenses/old-licenses/gpl-2.0.txt',
    popular: false,
    description: 'Changed and larger works that are passed on stay under this licence, with their sources.',
    permissions: free,
    conditions: copyleft,
    limitations: unwarranted,
  },
  {
    key: 'gpl-3.0',
    spdx: 'GPL-3.0-only',
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    source_url: 'https://www.gnu.org/licenses/gpl-3.0.txt',
    popular: true,
    description:
      'Works that are passed on stay under this licence, with their sources and the patents of the contributors.',
    permissions: freeWithPatents,
    conditions: copyleft,
    limitations: unwarranted,
  },
  {
    key: 'lgpl-2.1',
    spdx: 'LGPL-2.1-only',
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    source_url: 'https://www.gnu.org/licenses/old-licenses/lgpl-2.1.txt',
    popular: false,
    description: 'For libraries: changes stay under this licence, and works that only use the library need not.',
    permissions: free,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: unwarranted,
  },
  {
    key: 'lgpl-3.0',
    spdx: 'LGPL-3.0-only',
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    source_url: 'https://www.gnu.org/licenses/lgpl-3.0.txt',
    popular: false,
    description: 'For libraries: as version 2.1, with the patents of the contributors.',
    permissions: freeWithPatents,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: unwarranted,
  },
  {
    key: 'mit',
    spdx: 'MIT',
    name: 'MIT License',
    nickname: null,
    source_url: 'https://opensource.org/license/mit',
    popular: true,
    description: 'Short, and asks for the notice of copyright only.',
    permissions: free,
    conditions: ['include-copyright'],
    limitations: unwarranted,
  },
  {
    key: 'mpl-2.0',
    spdx: 'MPL-2.0',
    name: 'Mozilla Public License 2.0',
    nickname: null,
    source_url: 'https://www.mozilla.org/media/MPL/2.0/index.txt',
    popular: false,
    description: 'Changed files stay under this licence; files beside them may have another one.',
    permissions: freeWithPatents,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['trademark-use', ...unwarranted],
  },
  {
    key: 'unlicense',
    spdx: 'Unlicense',
    name: 'The Unlicense',
    nickname: null,
    source_url: 'https://unlicense.org/UNLICENSE',
    popular: false,
    description: 'Gives the work to the public without a condition.',
    permissions: free,
    conditions: [],
    limitations: unwarranted,
  },
]
