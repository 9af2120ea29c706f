#!/usr/bin/env node
import '../dist/bin/savepoint.js';
