/**
 * The floors of the house (CONTRIBUTING.md): imports point one way, and a folder is entered by its front door.
 * A type is an import like any other here: what a file must know of to be understood is what counts.
 */
const entryPoints = '^src/(main|index)[.]ts$'
/** The rooms of `infra/git`, from the ground up: each uses those before it. */
const gitRooms = ['model', 'process', 'objects', 'refs', 'history', 'writing', 'transport', 'remote', 'care']
/** The folders of `api`, from the bottom up: each may use those before it. */
const apiRooms = ['operation', 'http', 'docs']
const forTests = '([.]test|testing|fixture[a-z-]*|suite[a-z-]*)[.]ts$|^src/testing/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that need each other, be it only for a type, are one file or lack a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'infra-knows-nothing-of-the-platform',
      severity: 'error',
      from: { path: '^src/infra/' },
      to: { path: '^src/(api|modules|cli)/|^src/(app|main|index|config)[.]ts$' },
    },
    {
      name: 'infra-knows-no-table',
      comment: 'The caller that opens the database passes the schema.',
      severity: 'error',
      from: { path: '^src/infra/', pathNot: forTests },
      to: { path: '^src/schema/' },
    },
    {
      name: 'schema-is-statements-alone',
      severity: 'error',
      from: { path: '^src/schema/' },
      to: { path: '^src/', pathNot: '^src/(schema/|infra/database/index[.]ts$)' },
    },
    {
      name: 'api-knows-no-module',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^src/(modules|cli)/|^src/(app|main|index)[.]ts$' },
    },
    ...apiRooms.slice(0, -1).map((room, floor) => ({
      name: `api-${room}-uses-nothing-above-it`,
      severity: 'error',
      from: { path: `^src/api/${room}/`, pathNot: forTests },
      to: { path: `^src/api/((${apiRooms.slice(floor + 1).join('|')})/|index[.]ts$)` },
    })),
    {
      name: 'api-is-entered-through-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/api/', forTests] },
      to: { path: '^src/api/(?!index[.]ts$)' },
    },
    {
      name: 'modules-meet-through-their-index',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/(?!$1/)[^/]+/(?!index[.]ts$)' },
    },
    {
      name: 'modules-are-entered-through-their-index',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/' },
      to: { path: '^src/modules/[^/]+/(?!index[.]ts$)' },
    },
    {
      name: 'infra-folders-meet-through-their-index',
      severity: 'error',
      from: { path: '^src/infra/([^/]+)/' },
      to: { path: '^src/infra/(?!$1/)[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    {
      name: 'infra-folders-are-entered-through-their-index',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/infra/' },
      to: { path: '^src/infra/[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    ...gitRooms.slice(0, -1).map((room, floor) => ({
      name: `git-${room}-knows-nothing-above-it`,
      severity: 'error',
      from: { path: `^src/infra/git/${room}/`, pathNot: forTests },
      to: { path: `^src/infra/git/((${gitRooms.slice(floor + 1).join('|')})/|(git|index|repository)[.]ts$)` },
    })),
    {
      name: 'only-the-top-composes',
      comment: 'Everything below the composition gets what it needs as an argument.',
      severity: 'error',
      from: { path: '^src/', pathNot: [entryPoints, '^src/cli/', forTests] },
      to: { path: '^src/app[.]ts$' },
    },
    {
      name: 'nobody-imports-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main[.]ts$', '^src/cli/'] },
      to: { path: '^src/cli/' },
    },
    {
      name: 'nobody-imports-main',
      severity: 'error',
      from: {},
      to: { path: '^src/main[.]ts$' },
    },
    {
      name: 'what-is-for-tests-stays-in-tests',
      comment: 'index.ts may: the package gives its users the same server that our own tests start.',
      severity: 'error',
      from: { path: '^src/', pathNot: [forTests, '^src/index[.]ts$'] },
      to: { path: forTests },
    },
    {
      name: 'no-development-package-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: forTests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'no-unlisted-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-import-into-the-void',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody needs and that needs nobody is left over.',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: [entryPoints, forTests] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
