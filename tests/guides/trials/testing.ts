import { file, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/testing.md'

/** Nothing answers any more where the server of the tests was. */
const hasStopped = sh(
  'if command curl --silent --output /dev/null "http://127.0.0.1:$SERVER_PORT/-/liveness"; then echo "the server still runs"; exit 1; fi',
)

export const testing: readonly Trial[] = [
  {
    document,
    name: 'node:test',
    tools: [],
    steps: [file('In Node', 1, 'demo.test.mjs'), sh('node --test')],
  },
  {
    document,
    name: 'vitest',
    tools: ['vitest'],
    steps: [
      sh(`echo '{"type":"module"}' > package.json`),
      file('vitest', 1, 'user.test.js'),
      sh('npx --no -- vitest run'),
    ],
  },
  {
    document,
    name: 'jest',
    tools: ['jest'],
    steps: [file('jest', 1, 'package.json'), file('jest', 2, 'user.test.js'), sh('npm test')],
  },
  {
    document,
    name: 'a clock that the test drives',
    tools: [],
    steps: [file('A clock that the test drives', 1, 'clock.mjs'), sh('node clock.mjs')],
  },
  {
    document,
    name: 'pytest',
    tools: ['pytest'],
    steps: [file('pytest', 1, 'test_user.py'), sh('python -m pytest -p no:cacheprovider test_user.py'), hasStopped],
  },
  {
    document,
    name: 'Go',
    tools: ['go'],
    steps: [sh('go mod init demo'), file('Go', 1, 'user_test.go'), sh('go test .'), hasStopped],
  },
  {
    document,
    name: 'a server in the background of a job',
    tools: [],
    steps: [
      sh(
        'FENNEC_ROOT_TOKEN=a-token-for-tests-of-20 FENNEC_LISTEN=127.0.0.1:$SERVER_PORT npx --no -- fennec serve --memory &',
      ),
      { of: 'In any language', block: 1 },
    ],
  },
  {
    document: 'docs/guides/demo.md',
    name: 'in a test',
    tools: [],
    steps: [
      file('In a test', 1, 'demo.mts', [
        "import assert from 'node:assert/strict'\nimport { startFennec } from 'fennec'\n",
        "const address = new URL('/api/v4/projects/slipway%2Fapps%2Ftimetable', fennec.url)\nconst answer = await fetch(address, { headers: { 'PRIVATE-TOKEN': fennec.rootToken } })\nassert.equal(answer.status, 200)\n",
      ]),
      sh('node demo.mts'),
    ],
  },
]
