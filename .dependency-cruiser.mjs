/**
 * The layers, from the bottom up: config, infra, api, platform, modules, the lists, console, app, demo, cli (ARCHITECTURE.md); and
 * runner and import, between infra and cli. Imports point down, and a folder is imported through its index. Imports of types count like any other.
 */
/** The lists that compose the modules. */
const lists = '^src/(modules|gate|reactions|ports|tables)[.]ts$'
/** Where tables are declared: only the list of tables imports them past the index. */
const tables = '/(tables|rate-limit|internal-ids/store)[.]ts$'
const entryPoints = '^src/(main|index|embedded)[.]ts$'
/** The folders of `infra/git`, from the bottom up: each may use those before it. */
const gitFolders = ['model', 'process', 'objects', 'refs', 'history', 'writing', 'transport', 'remote', 'maintenance']
/** The folders of `api`, from the bottom up: each may use those before it. */
const apiFolders = ['operation', 'objects', 'http', 'docs']
const forTests = '([.]test|testing|fixture[a-z-]*|suite[a-z-]*)[.]tsx?$|^src/testing/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Merge two files that import each other, or move what both need to a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'infra-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^src/infra/' },
      to: { path: '^src/(api|platform|modules|console|demo|runner|cli)/|^src/[^/]+[.]ts$' },
    },
    {
      name: 'only-the-openers-of-a-database-import-the-migrations',
      comment: 'The caller that opens the database passes the migrations.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(migrations|cli|backup|promotion)/',
          '^src/demo/run[.]ts$',
          '^src/(stores|check)[.]ts$',
          forTests,
        ],
      },
      to: { path: '^src/(migrations/|tables[.]ts$)' },
    },
    {
      name: 'only-tables-are-listed',
      severity: 'error',
      from: { path: '^src/tables[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/infra/database/index[.]ts$', tables] },
    },
    {
      name: 'api-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^src/(platform|modules|console|runner|cli)/|^src/(?!config[.]ts$)[^/]+[.]ts$' },
    },
    {
      name: 'platform-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: forTests },
      to: { path: '^src/(modules|console|runner|cli|migrations)/|^src/(?!config[.]ts$)[^/]+[.]ts$' },
    },
    {
      name: 'modules-import-nothing-above-them',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: forTests },
      to: { path: '^src/(console|runner|cli|migrations)/|^src/(?!config[.]ts$)[^/]+[.]ts$' },
    },
    {
      name: 'only-the-lists-import-modules',
      comment:
        'The app and its check use modules through the lists. Commands, and the promotion, are above the lists, and may call a module. The console lists the operations that its pages perform.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(modules|cli|migrations|promotion)/',
          '^src/console/(operations[.]ts$|sign-in/)',
          lists,
          forTests,
        ],
      },
      to: { path: '^src/modules/' },
    },
    {
      name: 'migrations-import-tables-only',
      severity: 'error',
      from: { path: '^src/migrations/' },
      to: { path: '^src/modules/', pathNot: tables },
    },
    {
      name: 'pages-perform-operations-only',
      comment: 'What the API lacks for a page is added to the API.',
      severity: 'error',
      from: { path: '^src/console/(pages|derived|parts|frame)/', pathNot: forTests },
      to: { path: '^src/(modules|platform|config)|^src/infra/(database|git|objects|jobs)/' },
    },
    {
      name: 'only-the-app-imports-the-console',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/console/', '^src/app[.]ts$', forTests] },
      to: { path: '^src/console/' },
    },
    {
      name: 'the-runner-knows-the-server-by-http-only',
      comment: 'It stands above config and infra, and may run on another machine.',
      severity: 'error',
      from: { path: '^src/runner/', pathNot: forTests },
      to: { path: '^src/', pathNot: '^src/(runner|infra|config)/|^src/config[.]ts$' },
    },
    {
      name: 'the-runner-does-not-load-the-server',
      severity: 'error',
      from: { path: '^src/(runner/|cli/clients/(runner|server-address)[.]ts$)', pathNot: forTests },
      to: { path: '^src/(api|platform|modules|console|demo|migrations)/|^src/(app|tables)[.]ts$', reachable: true },
    },
    {
      name: 'only-the-command-line-imports-the-runner',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/runner/', '^src/cli/clients/runner[.]ts$', forTests] },
      to: { path: '^src/runner/' },
    },
    {
      name: 'the-runner-is-imported-through-its-index',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/runner/(?!index[.]ts$)' },
    },
    {
      name: 'the-import-speaks-as-a-client',
      comment: 'It stands above infra, knows both servers by their APIs, and may run on another machine.',
      severity: 'error',
      from: { path: '^src/import/', pathNot: forTests },
      to: { path: '^src/', pathNot: '^src/(import|infra)/' },
    },
    {
      name: 'only-the-command-line-imports-the-import',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(import|cli)/', forTests] },
      to: { path: '^src/import/' },
    },
    {
      name: 'the-import-is-imported-through-its-index',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/import/(?!index[.]ts$)' },
    },
    ...apiFolders.slice(0, -1).map((folder, index) => ({
      name: `api-${folder}-uses-nothing-above-it`,
      severity: 'error',
      from: { path: `^src/api/${folder}/`, pathNot: forTests },
      to: { path: `^src/api/((${apiFolders.slice(index + 1).join('|')})/|index[.]ts$)` },
    })),
    {
      name: 'api-is-imported-through-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/tables[.]ts$', '^src/api/', forTests] },
      to: { path: '^src/api/(?!index[.]ts$)' },
    },
    {
      name: 'modules-import-each-other-through-the-index',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/(?!$1/)[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    {
      name: 'modules-are-imported-through-their-index',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/tables[.]ts$', '^src/(migrations|modules)/'] },
      to: { path: '^src/modules/[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    {
      name: 'infra-folders-import-each-other-through-the-index',
      severity: 'error',
      from: { path: '^src/infra/([^/]+)/' },
      to: { path: '^src/infra/(?!$1/)[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    {
      name: 'infra-folders-are-imported-through-their-index',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/tables[.]ts$', '^src/migrations/', '^src/infra/'] },
      to: { path: '^src/infra/[^/]+/(?!index[.]ts$)', pathNot: forTests },
    },
    ...gitFolders.slice(0, -1).map((folder, index) => ({
      name: `git-${folder}-imports-nothing-above-it`,
      severity: 'error',
      from: { path: `^src/infra/git/${folder}/`, pathNot: forTests },
      to: { path: `^src/infra/git/((${gitFolders.slice(index + 1).join('|')})/|(git|index|repository)[.]ts$)` },
    })),
    {
      name: 'only-the-entry-points-import-the-app',
      comment: 'Code below the app gets what it needs as arguments.',
      severity: 'error',
      from: { path: '^src/', pathNot: [entryPoints, '^src/cli/', '^src/demo/run[.]ts$', forTests] },
      to: { path: '^src/app[.]ts$' },
    },
    {
      name: 'the-demo-speaks-as-a-client',
      comment: 'It fills a server by the API. Only its start, `run.ts`, knows the server.',
      severity: 'error',
      from: { path: '^src/demo/', pathNot: ['^src/demo/run[.]ts$', forTests] },
      to: { path: '^src/', pathNot: ['^src/demo/', '^src/infra/clock/index[.]ts$'] },
    },
    {
      name: 'only-entry-points-import-the-demo',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(demo|cli)/', entryPoints, forTests] },
      to: { path: '^src/demo/' },
    },
    {
      name: 'the-demo-is-imported-through-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/demo/', forTests] },
      to: { path: '^src/demo/(?!index[.]ts$)' },
    },
    {
      name: 'only-main-imports-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main[.]ts$', '^src/cli/'] },
      to: { path: '^src/cli/' },
    },
    {
      name: 'nothing-imports-main',
      severity: 'error',
      from: {},
      to: { path: '^src/main[.]ts$' },
    },
    {
      name: 'only-tests-import-test-code',
      severity: 'error',
      from: { path: '^src/', pathNot: forTests },
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
      name: 'no-unresolved-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file without imports that nothing imports is unused.',
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
