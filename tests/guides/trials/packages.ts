import { file, run, sh, type Trial } from '../trial.ts'
import { hasSucceeded } from './runners.ts'

const document = 'docs/guides/packages.md'
const server = {}

/** A registry in a file, where the guide has one of the internet. */
const here = { 'https://git.example': 'http://127.0.0.1:$SERVER_PORT', 'projects/42': 'projects/1' }

/** The project with the number 1, and a library of JavaScript in the current folder. */
const library = sh(
  'export TOKEN="$(cat data/root-token)" NPM_TOKEN="$(cat data/root-token)"',
  'curl --header "PRIVATE-TOKEN: $TOKEN" --data name=demo "http://$FENNEC_LISTEN/api/v4/projects" | grep --quiet \'"id":1,\'',
  'mkdir demo app && cd demo',
  'echo \'{"name": "@tools/lib", "version": "1.0.0", "main": "index.js"}\' > package.json',
  "echo 'module.exports = 42' > index.js",
  'echo \'{"name": "app", "private": true}\' > ../app/package.json',
)

/** A distribution of Python, as its build tools make it. */
const distribution = sh(
  'mkdir dist',
  "python3 - <<'END'",
  'import zipfile',
  'with zipfile.ZipFile("dist/hello-1.0-py3-none-any.whl", "w") as wheel:',
  '    wheel.writestr("hello.py", "answer = 42\\n")',
  '    wheel.writestr("hello-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: hello\\nVersion: 1.0\\n")',
  '    wheel.writestr("hello-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: trial\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")',
  '    wheel.writestr("hello-1.0.dist-info/RECORD", "hello.py,,\\nhello-1.0.dist-info/METADATA,,\\nhello-1.0.dist-info/WHEEL,,\\nhello-1.0.dist-info/RECORD,,\\n")',
  'END',
)

const isInstalled = sh(`node -e "process.exit(require('@tools/lib') === 42 ? 0 : 1)"`)
const npmrc = file('npm', 1, '../.npmrc')

export const packages: readonly Trial[] = [
  {
    document,
    name: 'npm',
    tools: [],
    server,
    instead: {
      ...here,
      '//git.example': '//127.0.0.1:$SERVER_PORT',
      'npm install': 'cd ../app && npm install',
    },
    steps: [library, npmrc, run('npm', 2), isInstalled],
  },
  {
    document,
    name: 'pnpm',
    tools: ['pnpm'],
    server,
    instead: {
      ...here,
      '//git.example': '//127.0.0.1:$SERVER_PORT',
      'pnpm add': 'cd ../app && pnpm add',
    },
    steps: [library, npmrc, run('npm', 3), isInstalled],
  },
  {
    document,
    name: 'Yarn',
    tools: ['yarn'],
    server,
    instead: { ...here, 'yarn add': 'cp .yarnrc.yml ../app/ && cd ../app && touch yarn.lock && yarn add' },
    steps: [
      library,
      file('npm', 4, '.yarnrc.yml', [
        '',
        '\nunsafeHttpWhitelist: [127.0.0.1]\nenableTelemetry: false\nnodeLinker: node-modules\n',
      ]),
      // In CI, Yarn refuses to write the lock file.
      sh('export YARN_ENABLE_IMMUTABLE_INSTALLS=false', 'touch yarn.lock && yarn install'),
      run('npm', 5),
      isInstalled,
    ],
  },
  {
    document,
    name: 'twine and pip',
    tools: ['twine', 'pip'],
    server,
    instead: { ...here, 'https://any:$TOKEN@git.example': 'http://any:$TOKEN@127.0.0.1:$SERVER_PORT' },
    steps: [
      library,
      distribution,
      sh('export PIP_TARGET="$PWD/installed"'),
      run('Python'),
      sh('PYTHONPATH=installed python3 -c "import hello; assert hello.answer == 42"'),
    ],
  },
  {
    document,
    name: 'a pipeline that publishes and installs',
    tools: ['twine', 'pip'],
    server,
    steps: [
      library,
      distribution,
      sh('echo tool > tool'),
      file('From a pipeline', 1, '.gitlab-ci.yml'),
      sh(
        'git init --quiet --initial-branch=main && git add . && git commit --quiet --message Begin',
        'git push --quiet "http://root:$TOKEN@$FENNEC_LISTEN/root/demo.git" main && cd ..',
        'fennec runner &',
      ),
      hasSucceeded,
      sh(
        'packages="$(curl --header "PRIVATE-TOKEN: $TOKEN" "http://$FENNEC_LISTEN/api/v4/projects/1/packages")"',
        'for type in npm generic pypi; do grep --quiet "\\"package_type\\":\\"$type\\"" <<< "$packages"; done',
      ),
    ],
  },
]
