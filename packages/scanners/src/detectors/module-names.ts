import { builtinModules } from 'node:module';

/** Modules that Node brings along, and schemes and aliases of bundlers. */
export const NODE_BUILTINS: ReadonlySet<string> = new Set([
  ...builtinModules,
  'node',
  'bun',
  'electron',
  'vscode',
  'server-only',
  'client-only',
]);

/** Modules of Python's standard library (sys.stdlib_module_names of 3.13, without those that begin with an underscore). */
export const PYTHON_BUILTINS: ReadonlySet<string> = new Set(
  '__future__ __main__ abc aifc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nntplib nt ntpath numbers opcode operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo'.split(
    ' ',
  ),
);

/** Modules whose package has another name. */
export const PYTHON_PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    PIL: 'pillow',
    bs4: 'beautifulsoup4',
    cv2: 'opencv-python',
    dateutil: 'python-dateutil',
    docx: 'python-docx',
    dotenv: 'python-dotenv',
    fitz: 'pymupdf',
    google: 'google-genai',
    jwt: 'pyjwt',
    magic: 'python-magic',
    OpenSSL: 'pyopenssl',
    sklearn: 'scikit-learn',
    skimage: 'scikit-image',
    yaml: 'pyyaml',
    Crypto: 'pycryptodome',
    attr: 'attrs',
    git: 'gitpython',
    serial: 'pyserial',
    telegram: 'python-telegram-bot',
    usb: 'pyusb',
    win32com: 'pywin32',
    agents: 'openai-agents',
  }),
);
